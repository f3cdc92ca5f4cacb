import type { Run } from '@touchstone/contract'
import { printFilter } from '@touchstone/contract/filter'
import { describe, expect, it } from 'vitest'
import { findPromptCommit } from './prompt-commit.ts'

const HASH = '0123456789abcdef'
const made = (metadata: object) => findPromptCommit({ extra: { metadata } } as unknown as Run)

describe('the prompt that a run was made with', () => {
  it('is named by whoever owns it, or alone where it is the own workspace', () => {
    expect(made({ lc_hub_owner: 'acme', lc_hub_repo: 'greeting', lc_hub_commit_hash: HASH })?.prompt).toBe(
      'acme/greeting',
    )
    expect(made({ lc_hub_owner: '-', lc_hub_repo: 'greeting', lc_hub_commit_hash: HASH })?.prompt).toBe('greeting')
  })

  it('finds the runs of the same commit', () => {
    const { filter } = made({ lc_hub_repo: 'greeting', lc_hub_commit_hash: HASH })!
    expect(printFilter(filter)).toBe(`and(eq(metadata_key, "lc_hub_commit_hash"), eq(metadata_value, "${HASH}"))`)
  })

  it('is not known where any of it is missing or no text', () => {
    expect(made({})).toBeUndefined()
    expect(made({ lc_hub_repo: 'greeting' })).toBeUndefined()
    expect(made({ lc_hub_repo: 'greeting', lc_hub_commit_hash: 7 })).toBeUndefined()
    expect(findPromptCommit({} as Run)).toBeUndefined()
  })
})
