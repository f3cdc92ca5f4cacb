import { createContext, type ReactNode, type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Scope, type Shortcut, ShortcutRegistry } from '#lib/keyboard/shortcuts.ts'

const Registry = createContext<ShortcutRegistry>(new ShortcutRegistry())
const SINGLE_KEYS = 'touchstone.single-key-shortcuts'

/** Listens for keys once, for everything below it. */
export function ShortcutProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => {
    const created = new ShortcutRegistry()
    created.singleKeys = localStorage.getItem(SINGLE_KEYS) !== 'off'
    return created
  })
  useEffect(() => {
    const hear = (event: KeyboardEvent) => registry.handle(event)
    window.addEventListener('keydown', hear)
    return () => window.removeEventListener('keydown', hear)
  }, [registry])
  return <Registry value={registry}>{children}</Registry>
}

/**
 * Registers shortcuts while the caller is mounted; `?` lists them.
 *
 * @param pane  the pane that must hold the focus; leave it out for keys that work from anywhere on the page
 */
export function useShortcuts(scope: Scope, shortcuts: readonly Shortcut[], pane?: RefObject<Element | null>): void {
  const registry = use(Registry)
  const latest = useRef(shortcuts)
  useLayoutEffect(() => {
    latest.current = shortcuts
  })
  useEffect(() => {
    const group = {
      scope,
      get shortcuts() {
        return latest.current
      },
      ...(pane === undefined ? {} : { pane: () => pane.current }),
    }
    return registry.add(group)
  }, [registry, scope, pane])
}

export function useShortcutRegistry(): ShortcutRegistry {
  return use(Registry)
}

/** Switches single-letter shortcuts on or off and remembers it in this browser. */
export function setSingleKeys(registry: ShortcutRegistry, on: boolean): void {
  registry.singleKeys = on
  localStorage.setItem(SINGLE_KEYS, on ? 'on' : 'off')
}
