import { CopyButton } from './copy-button.tsx'

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
