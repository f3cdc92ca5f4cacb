import { expect, it } from 'vitest'
import { changesOf } from './changes.ts'

it('names the changed fields of a request with the values that were read', () => {
  const read = { id: 'a', name: 'one', tags: ['x'], note: null }
  const before = { name: 'one', tags: ['x'], note: '' }
  expect(changesOf({ name: 'two', tags: ['x'], note: 'n' }, before, read)).toEqual({
    changes: { name: 'two', note: 'n' },
    expected: { name: 'one', note: null },
  })
  expect(changesOf({ ...before, tags: [] }, before, read)).toEqual({ changes: { tags: [] }, expected: { tags: ['x'] } })
  expect(changesOf(before, before, read)).toEqual({ changes: {}, expected: {} })
})
