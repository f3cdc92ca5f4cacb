import { describe, expect, it } from 'vitest'
import { createBatches } from './batches.ts'

describe('batches', () => {
  it('collect ids, split long lists, and leave out what is no longer wanted', async () => {
    const requests: (readonly string[])[] = []
    const batches = createBatches(
      async (ids) => {
        requests.push(ids)
        return new Map(ids.map((id) => [id, id.toUpperCase()]))
      },
      { max: 2, waitMs: 1 },
    )
    const gone = new AbortController()
    const lost = batches.load('x', gone.signal)
    const found = ['a', 'b', 'a', 'c'].map((id) => batches.load(id))
    gone.abort(new Error('left'))
    await expect(lost).rejects.toThrow('left')
    expect(await Promise.all(found)).toEqual(['A', 'B', 'A', 'C'])
    expect(requests).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ])
  })

  it('fail together', async () => {
    const batches = createBatches(() => Promise.reject(new Error('no')), { max: 9, waitMs: 1 })
    const results = await Promise.allSettled([batches.load('a'), batches.load('b')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
