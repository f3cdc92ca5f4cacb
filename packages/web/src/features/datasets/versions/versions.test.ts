import { describe, expect, it } from 'vitest'
import { describeExample, listFieldChanges, toDiffRequest } from './version-diff.ts'
import { describeChanges, getCompared, groupBursts, printChanges, type TimelineVersion } from './version-timeline.ts'

const at = (
  minute: number,
  changes: Partial<TimelineVersion['changes']> = {},
  tags: string[] = [],
): TimelineVersion => ({
  as_of: new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString(),
  tags,
  changes: { added: 0, modified: 0, removed: 0, ...changes },
})

describe('the timeline of versions', () => {
  it('groups versions without a pause, and starts at each tag', () => {
    const versions = [
      at(50, { added: 1 }, ['latest']),
      at(45, { modified: 2 }),
      at(44, { added: 3 }, ['prod']),
      at(20, { removed: 1 }),
    ]
    const bursts = groupBursts(versions)
    expect(bursts.map(({ versions: some }) => some.length)).toEqual([2, 1, 1])
    expect(bursts.map(({ changes }) => printChanges(changes))).toEqual(['+1 ~2', '+3', '-1'])
    expect(bursts.map(({ before }) => before)).toEqual([versions[2]?.as_of, versions[3]?.as_of, undefined])
  })

  it('prints changes in signs and in words', () => {
    expect(printChanges({ added: 3, modified: 2, removed: 1 })).toBe('+3 ~2 -1')
    expect(describeChanges({ added: 3, modified: 0, removed: 1 })).toBe('3 added, 1 removed')
    expect(printChanges({ added: 0, modified: 0, removed: 0 })).toBe('no changes')
  })

  it('compares the newest version with the one before, or what the URL names', () => {
    const versions = [at(50, {}, ['latest']), at(40, {}, ['prod']), at(30)]
    const [newest, middle, oldest] = versions.map(({ as_of }) => as_of)
    expect(getCompared(versions, {})).toEqual({ from: middle, to: newest })
    expect(getCompared(versions, { to: 'prod' })).toEqual({ from: oldest, to: 'prod' })
    expect(getCompared(versions, { from: oldest })).toEqual({ from: oldest, to: newest })
    expect(getCompared(versions.slice(0, 1), {})).toBeUndefined()
  })
})

describe('the differences of an example', () => {
  it('are fields, with the split as one of them', () => {
    const before = { inputs: { q: 'a', same: [1] }, outputs: null, metadata: { dataset_split: ['test'], topic: 'x' } }
    const after = { inputs: { q: 'b', same: [1], more: 1 }, outputs: { a: 1 }, metadata: { dataset_split: ['train'] } }
    expect(listFieldChanges(before, after)).toEqual([
      { field: 'inputs.q', before: 'a', after: 'b' },
      { field: 'inputs.more', before: undefined, after: 1 },
      { field: 'outputs', before: undefined, after: { a: 1 } },
      { field: 'split', before: ['test'], after: ['train'] },
      { field: 'metadata.topic', before: 'x', after: undefined },
    ])
  })

  it('are texts where both are texts, JSON otherwise', () => {
    expect(toDiffRequest({ field: 'f', before: 'a', after: undefined })).toEqual({ kind: 'text', a: 'a', b: '' })
    expect(toDiffRequest({ field: 'f', before: 1, after: { b: 2 } })).toEqual({ kind: 'json', a: '1', b: '{"b":2}' })
  })

  it('name the example by its first text', () => {
    expect(describeExample({ inputs: { n: 1, question: 'Why?' } })).toBe('Why?')
    expect(describeExample({ inputs: { n: 1 } })).toBe('{"n":1}')
  })
})
