import { CopyButton } from './copy-button.tsx'

/** Text to paste somewhere, with its button. */
export function Snippet({ label, text }: { label: string; text: string }) {
  return (
    <div className="relative rounded-card border border-border bg-sunken">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} aria-label={label} role="region" className="overflow-x-auto p-3 pr-24 font-mono text-row">
        {text}
      </pre>
      <div className="absolute right-2 top-2">
        <CopyButton text={text} />
      </div>
    </div>
  )
}
