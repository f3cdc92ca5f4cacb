import { showKeys } from '#lib/keyboard/shortcut-keys.ts'

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
