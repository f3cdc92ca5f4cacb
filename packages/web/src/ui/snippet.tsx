import { useState } from 'react'
import type { CodeLanguage } from '#lib/code-languages.ts'
import { CodeText } from './code-text.tsx'
import { CopyButton } from './copy-button.tsx'
import { Tabs } from './tabs.tsx'

interface SnippetProps {
  label: string
  text: string
  /** @default the language that the label names */
  language?: CodeLanguage | undefined
}

/** Code with a Copy button. */
export function Snippet({ label, text, language = LANGUAGES.get(label) }: SnippetProps) {
  return (
    <div className="overflow-hidden rounded-card border border-border bg-sunken">
      <div className="flex h-8 items-center justify-between border-b border-border pl-3 pr-1 coarse:h-11">
        <span className="text-meta text-fg-subtle">{label}</span>
        <CopyButton text={text} look="quiet" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="region" aria-label={label} className="overflow-x-auto p-3 font-mono text-row">
        <CodeText text={text} language={language} />
      </pre>
    </div>
  )
}

/** Languages of snippets by their label. */
const LANGUAGES: ReadonlyMap<string, CodeLanguage> = new Map([
  ['Python', 'python'],
  ['TypeScript', 'typescript'],
  ['curl', 'shell'],
  ['Collector', 'yaml'],
  ['macOS, Linux', 'shell'],
  ['Windows PowerShell', 'powershell'],
  ['.env', 'properties'],
])

type LabeledSnippets = readonly { readonly label: string; readonly text: string }[]

interface SnippetTabsProps {
  snippets: LabeledSnippets
  /** Accessible name of the tabs. @default 'Language' */
  label?: string
  /** Name of all snippets. @default the label of each */
  title?: string
  /** Label of the snippet to show first. @default the first */
  first?: string | undefined
}

/** The same program in several languages, one shown at a time. */
export function SnippetTabs({ snippets, label: tabsLabel = 'Language', title, first }: SnippetTabsProps) {
  const [shown, setShown] = useState(toId(first ?? snippets[0]?.label ?? ''))
  const tabs = snippets.map(({ label, text }) => ({
    id: toId(label),
    label,
    content: (
      <div className="pt-2">
        <Snippet label={title ?? label} text={text} language={LANGUAGES.get(label)} />
      </div>
    ),
  }))
  return <Tabs label={tabsLabel} value={shown} onChange={setShown} tabs={tabs} />
}

/** Ids of tabs become ids of elements, which must not contain spaces. */
const toId = (label: string) => label.replaceAll(/\W+/g, '-')

/** The same environment for several systems; first for the one of this browser. */
export function EnvironmentTabs({ snippets }: { snippets: LabeledSnippets }) {
  const first = /Windows/.test(navigator.userAgent)
    ? snippets.find(({ label }) => label.includes('Windows'))
    : undefined
  return <SnippetTabs label="System" title="Environment" snippets={snippets} first={first?.label} />
}
