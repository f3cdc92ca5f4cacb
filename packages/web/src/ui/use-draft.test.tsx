// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { useDraft } from './hooks.tsx'

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
