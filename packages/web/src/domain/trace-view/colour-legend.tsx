import type { RunColours } from '#lib/trace-model/run-colors.ts'

const SAYS = { latency: 'Share of the time', cost: 'Share of the cost', model: 'Model' }

/** What the colours mean; types explain themselves by their icons. */
export function ColourLegend({ colours }: { colours: RunColours }) {
  if (colours.by === 'type') return null
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-border px-2 py-1 text-meta text-fg-muted">
      <span className="text-fg-subtle">{SAYS[colours.by]}</span>
      <ul className="contents">
        {colours.classes.map(({ label, solid }) => (
          <li key={label} className="flex min-w-0 items-center gap-1.5">
            <span aria-hidden className="size-2.5 shrink-0 rounded-[2px]" style={{ background: solid }} />
            <span className="truncate">{label}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
