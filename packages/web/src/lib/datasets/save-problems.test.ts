import { describe, expect, it } from 'vitest'
import { lineAt } from '../json/locate-json.ts'
import { locateSaveProblems } from './save-problems.ts'

const draft = { inputs: '{\n  "q": 1,\n  "r": 2\n}', outputs: '{}', metadata: '{}', splits: [], kept: [], added: [] }

function fail(...detail: { loc: (string | number)[]; msg: string }[]) {
  return new Error(`Failed to update. Received status [422]: Unprocessable. Message: ${JSON.stringify({ detail })}`)
}

describe('what the server refused', () => {
  it('is named at its value', () => {
    const found = locateSaveProblems(fail({ loc: ['examples', 'id', 'inputs', 'r'], msg: 'must be a string' }), draft)
    const [problem] = found.parts.inputs
    expect([problem?.message, lineAt(draft.inputs, problem?.from ?? 0)]).toEqual(['must be a string', 3])
  })

  it('has no place when it is about the whole example', () => {
    const found = [
      locateSaveProblems(fail({ loc: ['examples', 'id'], msg: 'Example not found' }), draft),
      locateSaveProblems(new Error('The server is down'), draft),
    ]
    for (const { parts } of found) expect(Object.values(parts).flat()).toEqual([])
  })
})
