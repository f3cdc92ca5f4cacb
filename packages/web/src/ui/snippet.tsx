import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'
import { Tabs } from './tabs.tsx'

/** Code with a Copy button. */
export function Snippet({ label, text }: { label: string; text: string }) {
  return (
    <div className="overflow-hidden rounded-card border border-border bg-sunken">
      <div className="flex h-8 items-center justify-between border-b border-border pl-3 pr-1 coarse:h-11">
        <span className="text-meta text-fg-subtle">{label}</span>
        <CopyButton text={text} look="quiet" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="region" aria-label={label} className="overflow-x-auto p-3 font-mono text-row">
        {text}
      </pre>
    </div>
  )
}

/** The same program in several languages, one shown at a time. */
export function SnippetTabs({ snippets }: { snippets: readonly { readonly label: string; readonly text: string }[] }) {
  const [shown, setShown] = useState(snippets[0]?.label ?? '')
  const tabs = snippets.map(({ label, text }) => ({
    id: label,
    label,
    content: (
      <div className="pt-2">
        <Snippet label={label} text={text} />
      </div>
    ),
  }))
  return <Tabs label="Language" value={shown} onChange={setShown} tabs={tabs} />
}
