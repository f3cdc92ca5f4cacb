import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Terminal } from './testing/terminal.ts'

/** A model provider that repeats the last message, and refuses messages with "fail". */
const provider = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { model, messages } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const { content } = messages.at(-1)
  const isRefused = content.includes('fail')
  response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' })
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  response.end(JSON.stringify(isRefused ? { error: { message: 'No.' } } : { model, choices }))
})

let terminal: Terminal
let client: Client
beforeAll(async () => {
  terminal = await Terminal.open()
  client = new Client({ apiUrl: `${terminal.endpoint}/api/v1` })
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done))
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  await client.createModelProvider({ name: 'Echo', kind: 'openai-chat', base_url })
  const { id } = await client.createDataset('questions')
  await client.createExamples(['one', 'two', 'fail'].map((text) => ({ dataset_id: id, inputs: { text } })))
  const template = (id: string, template: string) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'prompts', 'chat', id],
    kwargs: {
      prompt: {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
        kwargs: { template, input_variables: ['question'], template_format: 'f-string' },
      },
    },
  })
  const object = {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'prompts', 'chat', 'ChatPromptTemplate'],
    kwargs: { messages: [template('HumanMessagePromptTemplate', 'Say {question}')], input_variables: ['question'] },
  }
  await client.pushPrompt('echo', { object })
  const chain = (model: object, last?: object) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'runnables', 'RunnableSequence'],
    kwargs: { first: object, ...(last && { middle: [model] }), last: last ?? model },
  })
  const part = (id: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', id], kwargs })
  const settings = { model: 'm', stop: 'END', max_completion_tokens: 9, reasoning_effort: 'low', max_retries: 2 }
  const bound = part('ChatOpenAI', { ...settings, model_kwargs: { logprobs: true } })
  const tools = [
    { type: 'function', function: { name: 'search', parameters: { type: 'object' }, strict: true } },
    { type: 'web_search', max_uses: 1 },
  ]
  await client.pushPrompt('set', {
    object: chain(part('RunnableBinding', { bound, kwargs: { tools, tool_choice: 'any' } })),
  })
  await client.pushPrompt('odd', { object: chain(part('ChatOpenAI', { model: 'm', logit_bias: { 1: 2 } })) })
  await client.pushPrompt('long', { object: chain(part('ChatOpenAI', { model: 'm' }), part('StrOutputParser', {})) })
}, 120_000)
afterAll(async () => {
  await terminal?.close()
  provider.close()
})

const touchstone = (...args: string[]) => terminal.run(...args)
const RUN = ['playground', 'run', 'echo', '--dataset', 'questions', '--model', 'm', '--map', 'question=inputs.text']

describe('a prompt over a dataset', () => {
  it('is estimated, and runs only when it is confirmed', async () => {
    const answer = await touchstone(...RUN)
    expect(answer).toMatchObject({ code: 2, stdout: '' })
    expect(answer.stderr).toContain('3 rows, 3 calls')
    expect(answer.stderr).toContain('--yes')
    expect((await client.listPlaygroundJobs()).total).toBe(0)
  })

  it('becomes an experiment, with an exit code for failed rows and a link to the comparison', async () => {
    const answer = await touchstone(...RUN, '--name', 'from the terminal', '--yes', '--json')
    expect(answer.code).toBe(1)
    expect(answer.stderr).toContain('1 of 3 calls failed')
    expect(answer.stderr).toMatch(/\/compare\?selectedSessions=/)
    const job = answer.json()
    expect(job).toMatchObject({ state: 'COMPLETED', done: 3, failed: 1 })
    const project = await client.readProject({ projectName: 'from the terminal' })
    expect(project.id).toBe(job.variants[0].experiment_id)
    expect((await touchstone('playground', 'list')).stdout).toContain('from the terminal')
  }, 60_000)

  it('passes on all settings of the prompt', async () => {
    const args = ['--map', 'question=inputs.text', '--name', 'with settings', '--yes', '--json']
    const answer = await touchstone('playground', 'run', 'set', '--dataset', 'questions', ...args)
    expect(answer.json().request.variants).toMatchObject([
      {
        model: 'm',
        parameters: { stop: ['END'], max_tokens: 9, reasoning_effort: 'low' },
        tool_choice: 'required',
        extra_body: { logprobs: true },
        tools: [
          { type: 'function', function: { name: 'search', strict: true } },
          { type: 'raw', raw: { type: 'web_search', max_uses: 1 } },
        ],
      },
    ])
  }, 60_000)

  it.each([
    ['no dataset', ['playground', 'run', 'echo', '--model', 'm'], 2, '--dataset'],
    ['an unknown provider', [...RUN, '--provider', 'nope'], 2, '"Echo"'],
    ['a mapping without a path', [...RUN, '--map', 'question'], 2, 'VARIABLE=PATH'],
    ['a limit that is no number', [...RUN, '--max-cost', 'much'], 2, '--max-cost'],
    ['a setting that variants do not have', ['playground', 'run', 'odd', '--dataset', 'questions'], 2, '"logit_bias"'],
    ['steps after the model', ['playground', 'run', 'long', '--dataset', 'questions'], 2, 'StrOutputParser'],
    ['an unknown prompt', ['playground', 'run', 'nope', '--dataset', 'questions', '--model', 'm'], 3, 'not found'],
  ])('is refused with %s', async (_, args, code, text) => {
    const answer = await touchstone(...args)
    expect(answer.code).toBe(code)
    expect(answer.stderr).toContain(text)
  })
})
