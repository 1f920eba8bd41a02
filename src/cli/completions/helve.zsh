#compdef helve
_helve() {
  local word=${words[CURRENT]} before=${words[CURRENT-1]}
  local command= tool= options= kind=none i
  for ((i = 2; i < CURRENT; i++)); do
    case ${words[i]} in
      --root|--config|--values|--report|--jobs|--template|-t|-j) ((i++)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=${words[i]}
         elif [[ -z $tool ]]; then tool=${words[i]}; fi ;;
    esac
  done
  case $before in
    --root) _files -/; return ;;
    --config|--values|--report) _files; return ;;
  esac
  case $command in
@CASES@    *) return ;;
  esac
  if [[ $word == -* ]]; then
    compadd -- ${=options}
  elif [[ -z $command || $kind == command ]]; then
    compadd -- @COMMANDS@
  elif [[ $kind == tool && -z $tool ]]; then
    compadd -- ${(f)"$(helve tools --names 2>/dev/null)"}
    [[ $command == run ]] && _files -g '*.json'
  elif [[ $command == run && $word != *=* ]]; then
    compadd -S '' -- ${(f)"$(helve tools $tool --names 2>/dev/null | grep '=$')"}
  elif [[ $command == run ]]; then
    local -a known=(${(f)"$(helve tools $tool --names 2>/dev/null | grep "^${word%%=*}=.")"})
    if (($#known)); then compadd -- $known; else compset -P '*=' && _files; fi
  elif [[ $kind == shell ]]; then
    compadd -- bash zsh fish
  elif [[ $kind != none ]]; then
    _files
  fi
}
if [[ $funcstack[1] == _helve ]]; then _helve "$@"; else compdef _helve helve; fi
