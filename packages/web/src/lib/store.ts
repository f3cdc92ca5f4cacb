import { useSyncExternalStore } from 'react'

/** A value that lives outside React, for example a preference or the state of the connection. */
export interface Store<Value> {
  read(): Value
  write(value: Value): void
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void
}

/**
 * @param initialize  computes the first value when it is first read
 * @param connect     runs while the store has subscribers; returns a function that disconnects
 */
export function createStore<Value>(initialize: () => Value, connect?: (store: Store<Value>) => () => void) {
  const listeners = new Set<() => void>()
  let current: { value: Value } | undefined
  let disconnect: (() => void) | undefined
  const store: Store<Value> = {
    read() {
      current ??= { value: initialize() }
      return current.value
    },
    write(value) {
      current = { value }
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      if (listeners.size === 1) disconnect = connect?.(store)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) disconnect?.()
      }
    },
  }
  return store
}

/** The current value of a store; the component renders again when the value changes. */
export function useStore<Value>(store: Pick<Store<Value>, 'read' | 'subscribe'>): Value {
  return useSyncExternalStore(store.subscribe, store.read)
}
