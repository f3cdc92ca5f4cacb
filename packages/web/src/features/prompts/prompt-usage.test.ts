// @vitest-environment happy-dom
import { printFilter } from '@touchstone/contract/filter'
import { describe, expect, it } from 'vitest'
import { whereUsed } from './prompt-usage.ts'

const HASH = '0123456789abcdef'

describe('runs of a prompt', () => {
  it('of the workspace name no owner, "-" or its handle', () => {
    expect(printFilter(whereUsed({ owner: '-', repo: 'joke', handle: 'acme' }))).toBe(
      'and(and(eq(metadata_key, "lc_hub_repo"), eq(metadata_value, "joke")), ' +
        'or(not(eq(metadata_key, "lc_hub_owner")), ' +
        'and(eq(metadata_key, "lc_hub_owner"), in(metadata_value, ["-", "acme"]))))',
    )
    expect(printFilter(whereUsed({ owner: '-', repo: 'joke', handle: null }))).toContain('eq(metadata_value, "-")')
  })

  it('of another workspace name its handle, and the commit', () => {
    expect(printFilter(whereUsed({ owner: 'other', repo: 'joke', handle: null }, HASH))).toBe(
      'and(and(eq(metadata_key, "lc_hub_repo"), eq(metadata_value, "joke")), ' +
        'and(eq(metadata_key, "lc_hub_owner"), eq(metadata_value, "other")), ' +
        `and(eq(metadata_key, "lc_hub_commit_hash"), eq(metadata_value, "${HASH}")))`,
    )
  })
})
