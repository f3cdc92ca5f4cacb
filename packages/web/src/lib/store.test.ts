import { describe, expect, it, vi } from 'vitest'
import { createStore } from './store.ts'

describe('a store', () => {
  it('computes its first value once, on the first read', () => {
    const initialize = vi.fn(() => 1)
    const store = createStore(initialize)
    expect(initialize).not.toHaveBeenCalled()
    expect([store.read(), store.read()]).toEqual([1, 1])
    expect(initialize).toHaveBeenCalledOnce()
  })

  it('notifies subscribers after a write until they unsubscribe', () => {
    const store = createStore(() => 'a')
    const listener = vi.fn()
    const unsubscribe = store.subscribe(listener)
    store.write('b')
    unsubscribe()
    store.write('c')
    expect(listener).toHaveBeenCalledOnce()
    expect(store.read()).toBe('c')
  })

  it('is connected from its first subscriber to its last', () => {
    const disconnect = vi.fn()
    const connect = vi.fn(() => disconnect)
    const store = createStore(() => 0, connect)
    const [first, second] = [store.subscribe(() => undefined), store.subscribe(() => undefined)]
    first()
    expect(connect).toHaveBeenCalledOnce()
    expect(disconnect).not.toHaveBeenCalled()
    second()
    expect(disconnect).toHaveBeenCalledOnce()
  })
})
