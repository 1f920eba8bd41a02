_helve() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command= tool= options= kind=none name= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --root|--config|--values|--report|--jobs|--template|-t|-j) ((i++)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=${COMP_WORDS[i]}
         elif [[ -z $tool ]]; then tool=${COMP_WORDS[i]}; fi ;;
    esac
  done
  case $before in
    --root) COMPREPLY=($(compgen -d -- "$word")); return ;;
    --config|--values|--report) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if [[ $before == *= || $word == *= ]]; then  # a value: bash takes NAME=VALUE apart
    if [[ $word == *= ]]; then name=$before word=; else name=${COMP_WORDS[COMP_CWORD-2]}; fi
    COMPREPLY=()
    [[ $command == run && -n $tool ]] &&
      COMPREPLY=($(compgen -W "$(helve tools "$tool" --names 2>/dev/null |
        sed -n "s/^$name=\\(.\\)/\\1/p")" -- "$word"))
    ((${#COMPREPLY[@]})) || COMPREPLY=($(compgen -f -- "$word"))
    return
  fi
  case $command in
@CASES@    *) return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -z $command || $kind == command ]]; then
    COMPREPLY=($(compgen -W '@COMMANDS@' -- "$word"))
  elif [[ $kind == tool && -z $tool ]]; then
    COMPREPLY=($(compgen -W "$(helve tools --names 2>/dev/null)" -- "$word"))
    [[ $command == run ]] && COMPREPLY+=($(compgen -f -X '!*.json' -- "$word"))
  elif [[ $command == run && -n $tool ]]; then
    COMPREPLY=($(compgen -W "$(helve tools "$tool" --names 2>/dev/null | grep '=$')" -- "$word"))
    compopt -o nospace 2>/dev/null
  elif [[ $kind == shell ]]; then
    COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word"))
  elif [[ $kind == file ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _helve helve
