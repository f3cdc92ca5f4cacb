import { createContext, type ReactNode, type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Scope, type Shortcut, ShortcutRegistry, showKeys } from '#lib/shortcuts.ts'

/** A shortcut as keys: `mod+k` reads Ctrl K or ⌘ K, `g p` reads g then p. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-1" aria-hidden>
      {showKeys(keys).map((key) => (
        <kbd
          key={key}
          className="min-w-4 rounded-control border border-border bg-sunken px-1 text-center font-sans text-meta text-fg-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}

const Registry = createContext<ShortcutRegistry>(new ShortcutRegistry())
const SINGLE_KEYS = 'touchstone.single-key-shortcuts'

/** Listens for keys for all components below it. */
export function ShortcutProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => {
    const created = new ShortcutRegistry()
    created.singleKeys = localStorage.getItem(SINGLE_KEYS) !== 'off'
    return created
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => registry.handle(event)
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [registry])
  return <Registry value={registry}>{children}</Registry>
}

/**
 * Registers shortcuts while the caller is mounted; `?` lists them.
 *
 * @param pane  the shortcuts only work while this pane has the focus; absent: anywhere on the page
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
