import { lineAt } from '@touchstone/formats/locate-json'
import { describe, expect, it } from 'vitest'
import {
  dropSaved,
  findPartProblem,
  getChangedFields,
  locateSaveProblems,
  pickChanges,
  startDraft,
  startNewDraft,
  toContent,
} from './example-draft.ts'
import { parseStoredExample, printForDiff } from './stored-example.ts'

const wire = `{"id":"e","dataset_id":"d","name":"#0001 @ qa","inputs":{"id":12345678901234567890},"outputs":null,
"metadata":{"topic":"x","dataset_split":["test"]},"created_at":"c","modified_at":"m","source_run_id":null,
"attachment_urls":{"attachment.a.png":{"presigned_url":"/p","s3_url":"s","mime_type":"image/png"}}}`
const stored = parseStoredExample(wire)
const saved = startDraft(stored)

describe('a stored example', () => {
  it('has its JSON as it is written, without the splits in its metadata', () => {
    expect(stored).toMatchObject({
      inputs: '{\n  "id": 12345678901234567890\n}',
      outputs: '',
      metadata: '{\n  "topic": "x"\n}',
      splits: ['test'],
      files: [{ name: 'a.png', url: '/p', mimeType: 'image/png' }],
    })
  })
})

it('prints all content of an example as JSON, to compare versions', () => {
  const printed = printForDiff(stored)
  expect(printed).toContain('12345678901234567890')
  expect(JSON.parse(printed)).toMatchObject({ outputs: null, splits: ['test'], attachments: ['a.png'] })
})

describe('the draft of an example', () => {
  it('is unchanged at first', () => {
    expect(getChangedFields(saved, saved)).toEqual([])
  })

  it('sends only what was changed', () => {
    const draft = { ...saved, outputs: '{"answer": 1}', splits: ['train'] }
    const changed = getChangedFields(draft, saved)
    expect(changed).toEqual(['outputs', 'splits'])
    expect(toContent(draft, changed)).toEqual({
      inputs: undefined,
      outputs: { answer: 1 },
      metadata: undefined,
      split: ['train'],
    })
  })

  it('keeps only the fields that an edit changes', () => {
    expect(pickChanges({ ...saved, splits: ['train'], kept: ['a.png'] }, saved)).toEqual({ splits: ['train'] })
    expect(pickChanges({ ...saved }, saved)).toEqual({})
  })

  it('keeps after a save what was edited meanwhile', () => {
    const sent = { ...saved, inputs: '{"a": 1}', splits: ['train'] }
    expect(dropSaved({ inputs: '{"a": 12}', splits: sent.splits }, sent)).toEqual({ inputs: '{"a": 12}' })
  })

  it('sends an empty object for outputs that were cleared', () => {
    const draft = { ...saved, outputs: ' ' }
    expect(toContent(draft, ['outputs']).outputs).toEqual({})
  })

  it.each([
    ['inputs', '', 'The text ends too early: expected a value'],
    ['outputs', '', undefined],
    ['outputs', '[1]', 'Reference outputs must be a JSON object: { … }'],
    ['metadata', '{"a": 1}', undefined],
    ['metadata', '{"a"}', 'Expected : after the key'],
  ] as const)('%s of %j has the problem %j', (part, text, problem) => {
    expect(findPartProblem(part, text)).toBe(problem)
  })
})

describe('the draft of a new example', () => {
  it('has the required properties of the schema with empty values', () => {
    const inputs = {
      required: ['q', 'kind', 'n'],
      properties: { q: { type: 'string' }, kind: { enum: ['a', 'b'] }, n: { type: ['integer', 'null'] }, more: {} },
    }
    expect(JSON.parse(startNewDraft({ inputs }).inputs)).toEqual({ q: '', kind: 'a', n: 0 })
  })

  it('has the keys of another example when there is no schema', () => {
    const draft = startNewDraft({}, { inputs: { q: 'x', list: [1], n: 3, none: null }, outputs: null })
    expect(JSON.parse(draft.inputs)).toEqual({ q: '', list: [], n: 0, none: null })
    expect(draft.outputs).toBe('{}')
  })
})

const refusedDraft = {
  inputs: '{\n  "q": 1,\n  "r": 2\n}',
  outputs: '{}',
  metadata: '{}',
  splits: [],
  kept: [],
  added: [],
}

function fail(...detail: { loc: (string | number)[]; msg: string }[]) {
  return new Error(`Failed to update. Received status [422]: Unprocessable. Message: ${JSON.stringify({ detail })}`)
}

describe('what the server refused', () => {
  it('is named at its value', () => {
    const found = locateSaveProblems(
      fail({ loc: ['examples', 'id', 'inputs', 'r'], msg: 'must be a string' }),
      refusedDraft,
    )
    const [problem] = found.parts.inputs
    expect([problem?.message, lineAt(refusedDraft.inputs, problem?.from ?? 0)]).toEqual(['must be a string', 3])
  })

  it('has no place when it is about the whole example', () => {
    const found = [
      locateSaveProblems(fail({ loc: ['examples', 'id'], msg: 'Example not found' }), refusedDraft),
      locateSaveProblems(new Error('The server is down'), refusedDraft),
    ]
    for (const { parts } of found) expect(Object.values(parts).flat()).toEqual([])
  })
})
