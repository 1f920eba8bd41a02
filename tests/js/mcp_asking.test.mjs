// What a server asks its client for in the middle of a call (forms, pages, sampling, roots), with the
// official clients of both eras over stdio and HTTP: by requests of its own in the handshake era, by
// input_required in the modern one. The tools are the same.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { clients } from './clients.mjs';
import { overStdio, serve } from './fixture.mjs';

const all = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const kinds = clients.flatMap((client) => [
  { ...client, name: `${client.name}, stdio`, server: async () => overStdio },
  { ...client, name: `${client.name}, HTTP`, server: serve },
]);

// `answers`: by method, what the person or the model says.
async function connected(kind, t, answers, capabilities = all) {
  const client = kind.make(capabilities);
  const asked = [];
  for (const [method, answer] of Object.entries(answers)) {
    kind.on(client, method, async ({ params }) => {
      asked.push(params);
      return typeof answer === 'function' ? answer(params) : answer;
    });
  }
  await client.connect(kind.transport(await kind.server(t)));
  t.after(() => client.close());
  const say = async (name, args = {}) => (await kind.call(client, { name, arguments: args })).content[0].text;
  return { client, say, asked };
}

const form = (content) => ({ 'elicitation/create': { action: 'accept', content } });
const sampled = (text) => ({ role: 'assistant', content: { type: 'text', text }, model: 'm', stopReason: 'endTurn' });

for (const kind of kinds) {
  test(`${kind.name}: a form is filled in, declined and cancelled`, async (t) => {
    const outcomes = [
      [{ action: 'accept', content: { username: 'ada', email: 'a@example.org' } },
        'User response: accept, content: {"username":"ada","email":"a@example.org"}'],
      [{ action: 'decline' }, 'User response: decline, content: none'],
      [{ action: 'cancel' }, 'User response: cancel, content: none'],
    ];
    const left = outcomes.map(([answer]) => answer);
    const { say, asked } = await connected(kind, t, { 'elicitation/create': () => left.shift() });
    for (const [, text] of outcomes) assert.equal(await say('test_elicitation', { message: 'Who?' }), text);
    assert.equal(asked[0].message, 'Who?');
    assert.deepEqual(asked[0].requestedSchema.required, ['username', 'email']);
  });

  test(`${kind.name}: a page is opened by its URL`, async (t) => {
    const { say, asked } = await connected(kind, t, { 'elicitation/create': { action: 'accept' } });
    assert.equal(await say('test_elicitation_url'), 'Page: accept');
    assert.equal(asked[0].mode, 'url');
    assert.equal(asked[0].url, 'https://example.org/confirm');
  });

  test(`${kind.name}: rounds follow each other, and the state keeps what came before`, async (t) => {
    const content = { name: 'Ada', color: 'blue', ok: true };
    const { say, asked } = await connected(kind, t, {
      'elicitation/create': ({ requestedSchema }) => ({
        action: 'accept',
        content: Object.fromEntries(Object.keys(requestedSchema.properties).map((key) => [key, content[key]])),
      }),
    });
    assert.equal(await say('test_input_required_result_multi_round'), 'Ada likes blue');
    assert.deepEqual(asked.map(({ message }) => message.slice(0, 6)), ['Step 1', 'Step 2']);
    assert.equal(await say('test_input_required_result_request_state'), 'state-ok');
    assert.equal(await say('test_input_required_result_elicitation'), 'Hello, Ada!');
  });

  test(`${kind.name}: several things are asked for at once`, async (t) => {
    const { say } = await connected(kind, t, {
      ...form({ name: 'Ada' }),
      'sampling/createMessage': sampled('Good morning,'),
      'roots/list': { roots: [{ uri: 'file:///there', name: 'there' }] },
    });
    const text = await say('test_input_required_result_multiple_inputs');
    assert.match(text, /^Good morning, Ada at \{"roots":\[\{"uri":"file:\/\/\/there"/);
    assert.equal(await say('test_sampling', { prompt: 'x' }), 'LLM response: Good morning,');
  });

  test(`${kind.name}: a prompt may ask too`, async (t) => {
    const { client } = await connected(kind, t, form({ context: 'tests' }));
    const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' });
    assert.equal(messages[0].content.text, 'Context: tests');
  });

  test(`${kind.name}: only what the client declared is asked for`, async (t) => {
    const { say, asked } = await connected(kind, t, form({ name: 'Ada' }), { elicitation: {} });
    assert.equal(await say('test_input_required_result_capabilities'), '1 kinds of input');
    assert.equal(asked.length, 1);
    const refused = await say('test_missing_capability').then((text) => text, (error) => error);
    if (kind.modern) assert.equal(refused.code, -32021);
    else assert.match(String(refused.message ?? refused), /sampling/);
  });

  test(`${kind.name}: other calls go on while a person thinks (R11)`, async (t) => {
    let think;
    const thinking = new Promise((resolve) => { think = resolve; });
    const { say } = await connected(kind, t, {
      'elicitation/create': async () => { await thinking; return { action: 'accept', content: { name: 'Ada' } }; },
    });
    const slow = say('test_input_required_result_elicitation');
    for (let i = 0; i < 20; ++i) assert.equal(await say('echo', { message: `${i}` }), `Echo: ${i}`);
    think();
    assert.equal(await slow, 'Hello, Ada!');
  });
}
