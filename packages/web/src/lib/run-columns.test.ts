import { describe, expect, it } from 'vitest'
import { feedbackColumn, getCustomColumnLabel, jsonColumn, metadataColumn, readColumn } from './run-columns.ts'

describe('ids of custom columns', () => {
  it('are parsed to their source', () => {
    const path = ['inputs', 'a, b', 0, '100%', 'ü'] as const
    const id = jsonColumn(path)
    expect(id).not.toContain(',')
    expect(readColumn(id)).toEqual({ kind: 'json', path })
    expect(readColumn(feedbackColumn('tone, voice'))).toEqual({ kind: 'feedback', key: 'tone, voice' })
    expect(readColumn(metadataColumn('user.id'))).toEqual({ kind: 'json', path: ['extra', 'metadata', 'user', 'id'] })
  })

  it('have readable labels', () => {
    expect(getCustomColumnLabel(readColumn('json:inputs.question')!)).toBe('inputs.question')
    expect(getCustomColumnLabel(readColumn('json:extra.metadata.env')!)).toBe('env')
    expect(getCustomColumnLabel(readColumn('meta:env')!)).toBe('env')
    expect(getCustomColumnLabel(readColumn('json:extra')!)).toBe('extra')
  })

  it.each(['name', 'json:', 'json:events.a', 'json:inputs..', 'feedback:', 'json:%', 'other:x'])('%s is none', (id) => {
    expect(readColumn(id)).toBeUndefined()
  })
})
