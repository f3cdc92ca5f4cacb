import { describe, expect, it } from 'vitest'
import { diffConfigs, summarizeChanges } from './config-diff.ts'

describe('the difference between two configurations', () => {
  const changes = diffConfigs(
    { model: 'small', params: { temperature: 0, top_p: 1 }, tags: ['a'], old: 1, git: { commit: 'a', dirty: true } },
    { model: 'large', params: { temperature: 0.5, top_p: 1 }, tags: ['a'], fresh: true, git: { commit: 'b' } },
  )

  it('has changed values by path, then added, then removed ones', () => {
    expect(changes).toEqual([
      { key: 'git.commit', before: 'a', after: 'b' },
      { key: 'model', before: 'small', after: 'large' },
      { key: 'params.temperature', before: '0', after: '0.5' },
      { key: 'fresh', before: undefined, after: 'true' },
      { key: 'old', before: '1', after: undefined },
    ])
  })

  it('is one line with the first changes', () => {
    expect(summarizeChanges(changes)).toBe('git.commit a → b, model small → large, params.temperature 0 → 0.5, 2 more')
    expect(summarizeChanges(changes.slice(3))).toBe('fresh true added, old removed')
    expect(summarizeChanges([{ key: 'p', before: 'x'.repeat(99), after: 'y' }])).toBe(`p ${'x'.repeat(23)}… → y`)
    expect(summarizeChanges([])).toBe('')
  })
})
