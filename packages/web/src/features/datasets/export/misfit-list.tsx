import { saveFile } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import type { MadeExport } from './make-export.ts'

/** Misfits that are listed; the file of misfits has all. */
const LISTED = 200

/** The examples that a format cannot express, with the reason. */
export function MisfitList({ made: { misfits, count } }: { made: MadeExport }) {
  const download = () =>
    saveFile('not-exported.jsonl', 'application/jsonl', [misfits.map((one) => `${JSON.stringify(one)}\n`).join('')])
  return (
    <section aria-label="Examples that do not fit" className="rounded-card border border-border">
      <header className="flex flex-wrap items-center gap-2 border-b border-border px-3 py-1.5">
        <h3 className="flex-1 text-row font-medium">
          {formatCount(misfits.length)} of {formatCount(misfits.length + count)} examples do not fit and are left out
        </h3>
        <Button onClick={download}>Download the list</Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <ul tabIndex={0} className="max-h-48 overflow-auto">
        {misfits.slice(0, LISTED).map(({ row, id, reason }) => (
          <li key={id} className="flex gap-3 border-b border-border px-3 py-1 text-row last:border-0">
            <span className="num w-14 shrink-0 text-fg-muted">{formatCount(row)}</span>
            <span className="min-w-0 flex-1">{reason}</span>
            <span className="shrink-0 font-mono text-meta text-fg-subtle" title={id}>
              {id.slice(-8)}
            </span>
          </li>
        ))}
      </ul>
      {misfits.length > LISTED && (
        <p className="border-t border-border px-3 py-1 text-row text-fg-muted">
          The first {formatCount(LISTED)} are listed.
        </p>
      )}
    </section>
  )
}
