import { useState } from 'react'
import { Snippet } from './snippet.tsx'
import { Tabs } from './tabs.tsx'

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
