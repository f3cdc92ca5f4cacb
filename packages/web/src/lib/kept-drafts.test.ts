// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dropKeptDrafts, setDraftOwner } from './draft-owner.ts'
import { readKeptDraft, writeKeptDraft } from './kept-drafts.ts'

const ada = { userId: 'ada', workspaceId: 'acme' }
beforeEach(() => setDraftOwner(ada))
afterEach(dropKeptDrafts)

describe('kept drafts', () => {
  it('are read under their name until they are dropped', () => {
    writeKeptDraft('readme a', { text: 'x' })
    expect(readKeptDraft('readme a')).toEqual({ text: 'x' })
    expect(readKeptDraft('readme b')).toBeUndefined()
    writeKeptDraft('readme a', undefined)
    expect(readKeptDraft('readme a')).toBeUndefined()
  })

  it('belong to a workspace', () => {
    writeKeptDraft('readme', 1)
    setDraftOwner({ ...ada, workspaceId: 'other' })
    expect(readKeptDraft('readme')).toBeUndefined()
    setDraftOwner(ada)
    expect(readKeptDraft('readme')).toBe(1)
  })

  it('are dropped when another user signs in, and when the user signs out', () => {
    writeKeptDraft('readme', 1)
    setDraftOwner({ ...ada, userId: 'bob' })
    setDraftOwner(ada)
    expect(readKeptDraft('readme')).toBeUndefined()
    writeKeptDraft('readme', 1)
    dropKeptDrafts()
    expect(sessionStorage).toHaveLength(0)
  })

  it('are not kept before the user is known', () => {
    dropKeptDrafts()
    writeKeptDraft('readme', 1)
    expect(sessionStorage).toHaveLength(0)
  })

  it('have a bound: the oldest ones go first, and a long one is not kept', () => {
    for (let at = 0; at < 40; at++) writeKeptDraft(`draft ${at}`, at)
    expect(sessionStorage).toHaveLength(30)
    expect(readKeptDraft('draft 39')).toBe(39)
    expect(writeKeptDraft('draft 39', 'x'.repeat(600_000))).toBe(false)
    expect(readKeptDraft('draft 39')).toBeUndefined()
  })

  it('are gone when a newer one cannot be written', () => {
    expect(writeKeptDraft('readme', 'old')).toBe(true)
    const storage = sessionStorage
    vi.stubGlobal('sessionStorage', {
      removeItem: (key: string) => storage.removeItem(key),
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError')
      },
    })
    expect(writeKeptDraft('readme', 'new')).toBe(false)
    vi.unstubAllGlobals()
    expect(readKeptDraft('readme')).toBeUndefined()
  })

  it('are ignored when the storage holds something else', () => {
    writeKeptDraft('readme', 1)
    sessionStorage.setItem(Object.keys(sessionStorage)[0] ?? '', '{')
    expect(readKeptDraft('readme')).toBeUndefined()
  })
})
