/** What a receiver answered, as it is: it may be long, and is not from us. */
export function ResponseText({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label="Response"
      className="max-h-40 overflow-auto whitespace-pre-wrap rounded-control bg-sunken px-2 py-1 font-mono text-meta [overflow-wrap:anywhere]"
    >
      {text}
    </pre>
  )
}
