import type { Run } from '@touchstone/contract'
import { expect, it } from 'vitest'
import { printTraceMarkdown } from './trace-markdown.ts'

const run = (fields: Partial<Run>) =>
  ({
    id: fields.name,
    run_type: 'chain',
    status: 'success',
    start_time: '2026-01-01T00:00:00.000000Z',
    end_time: '2026-01-01T00:00:01.500000Z',
    inputs: {},
    outputs: {},
    ...fields,
  }) as Run

it('prints one section per run in tree order, with conversations as quotes', () => {
  const text = printTraceMarkdown([
    run({
      name: 'model',
      run_type: 'llm',
      parent_run_id: 'root',
      dotted_order: 'a.b',
      inputs: { messages: [{ role: 'user', content: '# not a heading\n```' }] },
      outputs: { choices: [{ message: { role: 'assistant', content: 'Yes.' } }] },
    }),
    run({ name: 'root', dotted_order: 'a', inputs: { code: '```js```' }, error: 'Boom' }),
  ])
  expect(text).toBe(
    [
      '# root',
      'chain · success · 1.50 s · `root`',
      'Error:',
      '```\nBoom\n```',
      'Input:',
      '````json\n{\n  "code": "```js```"\n}\n````',
      'Output:',
      '```json\n{}\n```',
      '## model',
      'llm · success · 1.50 s · `model`',
      '**user**',
      '> # not a heading\n> ```',
      '**assistant**',
      '> Yes.\n',
    ].join('\n\n'),
  )
})

it('names the model calls whose payloads stand for those of a root without inputs and outputs', () => {
  const text = printTraceMarkdown([
    run({
      ...{ name: 'root', dotted_order: 'a', inputs: null, outputs: null },
      ...{ inputs_preview: 'Hi', outputs_preview: '# Hello', derived_payloads: { inputs: 'first', outputs: 'last' } },
    }),
  ])
  expect(text).toBe(
    [
      '# root',
      'chain · success · 1.50 s · `root`',
      'Input of the first model call (`first`), this run recorded none:',
      '> Hi',
      'Output of the last model call (`last`), this run recorded none:',
      '> # Hello\n',
    ].join('\n\n'),
  )
})
