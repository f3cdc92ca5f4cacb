import { useState } from 'react'
import { SCOPES } from '#lib/shortcuts.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Kbd, setSingleKeys, useShortcutRegistry } from '#ui/shortcuts.tsx'

/** The shortcuts that are active on the current page. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const registry = useShortcutRegistry()
  const [singleKeys, setOn] = useState(registry.singleKeys)
  const scopes = SCOPES.map((scope) => ({
    scope,
    shortcuts: registry.groups().flatMap((group) => (group.scope === scope ? group.shortcuts : [])),
  })).filter(({ shortcuts }) => shortcuts.length > 0)

  return (
    <Dialog open onOpenChange={onClose} title="Keyboard shortcuts" width="max-w-2xl">
      <div className="columns-1 gap-8 sm:columns-2">
        {scopes.map(({ scope, shortcuts }) => (
          <section key={scope} className="mb-4 break-inside-avoid">
            <h3 className="mb-1 text-meta font-semibold uppercase tracking-wide text-fg-subtle">{scope}</h3>
            <dl>
              {shortcuts.map((shortcut) => (
                <div key={shortcut.label} className="flex items-center justify-between gap-4 py-0.5 text-row">
                  <dt>{shortcut.label}</dt>
                  <dd>
                    {[shortcut.keys].flat().map((keys, at) => (
                      <span key={keys}>
                        {at > 0 && <span className="px-1 text-fg-subtle">or</span>}
                        <span className="sr-only">{keys}</span>
                        <Kbd keys={keys} />
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="mt-2 flex items-center gap-2 border-t border-border pt-3 text-row">
        <input
          type="checkbox"
          checked={singleKeys}
          onChange={(event) => {
            setSingleKeys(registry, event.target.checked)
            setOn(event.target.checked)
          }}
        />
        Enable single-letter shortcuts. Shortcuts with Ctrl or ⌘ always work.
      </label>
    </Dialog>
  )
}
