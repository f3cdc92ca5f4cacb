// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dropKeptDrafts, setDraftOwner } from '#lib/draft-owner.ts'
import { useDraft } from './use-draft.tsx'

afterEach(cleanup)

function start(saved: { name: string; keys: readonly string[] }) {
  const hook = renderHook((value: typeof saved) => useDraft(value), { initialProps: saved })
  const draft = () => hook.result.current
  return { draft, set: (more: Partial<typeof saved>) => act(() => draft().set(more)), save: hook.rerender, act }
}

describe('the draft of a form', () => {
  it('marks a field until it has its saved value again, also when that changes later', () => {
    const { draft, set, save } = start({ name: 'one', keys: ['a'] })
    set({ name: 'two', keys: ['a', 'b'] })
    expect(draft().changed).toEqual(['name', 'keys'])
    set({ name: 'one', keys: ['a'] })
    expect(draft().changed).toEqual([])
    save({ name: 'of a colleague', keys: ['a'] })
    expect(draft().value.name).toBe('of a colleague')
    expect(draft().changed).toEqual([])
  })

  it('keeps what is typed while an earlier value is saved', () => {
    const { draft, set, save } = start({ name: 'one', keys: ['a'] })
    set({ name: 'two', keys: ['b'] })
    const sent = draft().value
    set({ name: 'three' })
    save(sent)
    act(() => draft().settle(sent))
    expect(draft()).toMatchObject({ value: { name: 'three', keys: ['b'] }, changed: ['name'], overtaken: [] })
    expect(draft().base).toEqual(sent)
  })

  it('knows which edited fields were changed elsewhere, and follows the other ones', () => {
    const { draft, set, save } = start({ name: 'one', keys: ['a'] })
    set({ name: 'mine' })
    set({ name: 'mine!' })
    save({ name: 'theirs', keys: ['b'] })
    expect(draft()).toMatchObject({
      value: { name: 'mine!', keys: ['b'] },
      base: { name: 'one', keys: ['b'] },
      changed: ['name'],
      overtaken: ['name'],
    })
    act(() => draft().keep())
    expect(draft()).toMatchObject({ value: { name: 'mine!' }, base: { name: 'theirs' }, overtaken: [] })
    save({ name: 'theirs again', keys: ['b'] })
    expect(draft().overtaken).toEqual(['name'])
    act(() => draft().follow(draft().overtaken))
    expect(draft()).toMatchObject({ value: { name: 'theirs again' }, changed: [], overtaken: [] })
  })

  it('agrees with a colleague who saved the same value', () => {
    const { draft, set, save } = start({ name: 'one', keys: [] })
    set({ name: 'two' })
    save({ name: 'two', keys: [] })
    expect(draft()).toMatchObject({ changed: [], overtaken: [] })
  })
})

describe('the draft of a form that survives a reload', () => {
  const ada = { userId: 'ada', workspaceId: 'acme' }
  beforeEach(() => setDraftOwner(ada))
  afterEach(dropKeptDrafts)

  const saved = { name: 'one', text: '' }
  const load = (now: object = saved, keptAs = 'form 1') => {
    const hook = renderHook(() => useDraft(now as typeof saved, keptAs))
    return { draft: () => hook.result.current, set: (more: object) => act(() => hook.result.current.set(more)), hook }
  }

  it('is shown again with what it is based on', () => {
    const first = load()
    expect(first.draft().isRestored).toBe(false)
    first.set({ text: 'a long text' })
    cleanup()
    expect(load(saved, 'form 2').draft()).toMatchObject({ changed: [], isRestored: false })
    expect(load({ ...saved, text: 'theirs' }).draft()).toMatchObject({
      value: { name: 'one', text: 'a long text' },
      base: saved,
      overtaken: ['text'],
      isRestored: true,
    })
  })

  it('keeps that a field was cleared, and edits of a field that had no value', () => {
    const scored = { score: 1, label: 'good' as string | undefined, comment: undefined as string | undefined }
    load(scored).set({ score: 0, label: undefined, comment: 'why' })
    cleanup()
    expect(load(scored).draft()).toMatchObject({
      value: { score: 0, label: undefined, comment: 'why' },
      changed: ['score', 'comment', 'label'],
      overtaken: [],
    })
    cleanup()
    load(scored, 'form 3').set({ label: undefined })
    cleanup()
    expect(load(scored, 'form 3').draft()).toMatchObject({ changed: ['label'], isRestored: true })
  })

  it('is gone after it was discarded or saved, also when the form is closed at once', () => {
    const first = load()
    first.set({ text: 'a' })
    act(() => {
      first.draft().discard()
      first.hook.unmount()
    })
    expect(load().draft().changed).toEqual([])

    const second = load()
    second.set({ text: 'b' })
    cleanup()
    const third = load()
    expect(third.draft().isRestored).toBe(true)
    act(() => third.draft().settle({ ...saved, text: 'b' }))
    expect(third.draft().isRestored).toBe(false)
    cleanup()
    expect(load().draft().changed).toEqual([])
  })

  it('is none when it is too long', () => {
    const { draft, set } = load()
    set({ text: 'x'.repeat(600_000) })
    expect(draft().isRestored).toBeUndefined()
    set({ text: 'short' })
    expect(draft().isRestored).toBe(false)
  })

  it('is left out where the form has another field by now', () => {
    load().set({ text: 'a' })
    cleanup()
    expect(load({ name: 'one', text: ['a'] }).draft().changed).toEqual([])
    expect(load({ name: 'one' }).draft().changed).toEqual([])
  })

  it('appears when the user is known, unless something was typed before', () => {
    load().set({ text: 'kept' })
    cleanup()
    const text = Object.values(sessionStorage)[0]
    const key = Object.keys(sessionStorage)[0] ?? ''
    dropKeptDrafts()
    sessionStorage.setItem(key, String(text))
    const early = load()
    expect(early.draft().changed).toEqual([])
    act(() => setDraftOwner(ada))
    expect(early.draft()).toMatchObject({ value: { text: 'kept' }, isRestored: true })
  })
})
