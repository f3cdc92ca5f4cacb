import { describe, expect, it } from 'vitest'
import { readReference } from './read-reference.ts'

const id = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
const origin = 'http://localhost:3000'

describe('a pasted reference', () => {
  it.each([id, id.toUpperCase(), id.replaceAll('-', ''), `"${id}"`, `run ${id}`])('reads %s as an id', (text) => {
    expect(readReference(text, origin)).toEqual({ kind: 'id', id })
  })

  it.each([
    [`${origin}/o/t/projects/p/${id}?t=24h`, `/o/t/projects/p/${id}?t=24h`],
    [`https://elsewhere.example/o/t/projects/p/${id}/r/${id}?poll=true`, `/o/t/projects/p/${id}/r/${id}?poll=true`],
    [`/public/${id}/r`, `/public/${id}/r`],
  ])('reads %s as a path of ours', (text, href) => {
    expect(readReference(text, origin)).toEqual({ kind: 'path', href })
  })

  it('looks for an id in a link of another shape', () => {
    expect(readReference(`https://elsewhere.example/runs/${id}`, origin)).toEqual({ kind: 'id', id })
  })

  it.each(['support bot', '', 'https://example.com/docs', `please look at the run ${id} for me`])(
    'takes %j for words',
    (text) => {
      expect(readReference(text, origin)).toBeUndefined()
    },
  )
})
