import { BYTE_ORDER_MARK } from '@touchstone/contract/csv-line'
import { Download, Pencil } from 'lucide-react'
import { useState } from 'react'
import { saveFile } from '#lib/browser.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { FixRow } from './fix-row.tsx'
import type { ImportController, ImportState } from './import-controller.ts'
import { type BadRow, KEPT_BAD_ROWS, LISTED_BAD_ROWS } from './import-session.ts'

/** How many rows can be imported, and what is wrong with the others. */
export function CheckStep({ state, controller }: { state: ImportState; controller: ImportController }) {
  const { report, checkedRows } = state
  if (report === undefined) {
    return (
      <p role="status" className="py-8 text-center text-base">
        {pluralize(checkedRows, 'row')} checked…
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="text-base">
        <strong className="font-semibold">{formatCount(report.good)}</strong>{' '}
        {report.good === 1 ? 'row is' : 'rows are'} ready to import
        {report.bad > 0 && (
          <>
            , <strong className="font-semibold">{formatCount(report.bad)}</strong>{' '}
            {report.bad === 1 ? 'row has a problem and is skipped' : 'rows have problems and are skipped'}
          </>
        )}
        .
      </p>
      {report.bad > 0 && <BadRows state={state} controller={controller} badRows={report.badRows} total={report.bad} />}
      {report.samples.length > 0 && (
        <Disclosure
          startsOpen={report.bad === 0}
          summary={`What the first ${report.samples.length === 1 ? 'row becomes' : `${report.samples.length} rows become`}`}
        >
          <div className="mt-2 grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
            {report.samples.map((sample, index) => (
              <pre
                // biome-ignore lint/suspicious/noArrayIndexKey: the samples have no ids and never move
                key={index}
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
                tabIndex={0}
                className="max-h-56 overflow-auto rounded-card border border-border bg-sunken p-2 font-mono text-meta"
              >
                {sample}
              </pre>
            ))}
          </div>
        </Disclosure>
      )}
    </div>
  )
}

interface BadRowsProps {
  state: ImportState
  controller: ImportController
  badRows: readonly BadRow[]
  total: number
}

/** The bad rows with their reasons; each can be fixed here, or all be downloaded. */
function BadRows({ state, controller, badRows, total }: BadRowsProps) {
  const [fixing, setFixing] = useState<number>()
  async function download() {
    const isCsv = state.options?.format === 'csv'
    const name = (state.file?.name ?? 'file').replace(/\.[^.]+$/, '')
    const text = await controller.printBadRows()
    saveFile(`${name}.problems.${isCsv ? 'csv' : 'jsonl'}`, isCsv ? 'text/csv' : 'application/jsonl', [
      isCsv ? BYTE_ORDER_MARK : '',
      text,
    ])
  }
  return (
    <section aria-label="Rows with problems" className="rounded-card border border-border">
      <header className="flex flex-wrap items-center gap-2 border-b border-border px-3 py-1.5">
        <h3 className="flex-1 text-row font-medium">Rows with problems</h3>
        <Button onClick={() => void download()}>
          <Download size={14} aria-hidden />
          Download {total > KEPT_BAD_ROWS ? `the first ${formatCount(KEPT_BAD_ROWS)}` : 'these rows'}
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <ul tabIndex={0} className="max-h-[48vh] overflow-auto">
        {badRows.map((row) => (
          <li
            key={row.number}
            className="border-b border-border px-3 py-1.5 text-row last:border-0 [content-visibility:auto]"
          >
            <div className="flex items-center gap-3">
              <span className="min-w-12 shrink-0 tabular-nums text-fg-muted">Row {formatCount(row.number)}</span>
              <span className="min-w-0 flex-1 break-words">{row.problems.join('; ')}</span>
              <Button
                look="quiet"
                aria-expanded={fixing === row.number}
                aria-label={`Fix row ${row.number}`}
                onClick={() => setFixing(fixing === row.number ? undefined : row.number)}
              >
                <Pencil size={13} aria-hidden />
                Fix
              </Button>
            </div>
            {fixing === row.number && (
              <FixRow
                row={row}
                titles={state.columns.map(({ column }) => column)}
                onEdit={() => controller.noteEdit()}
                onSave={(source) => controller.fixRow(row.number, source)}
                onClose={() => setFixing(undefined)}
              />
            )}
          </li>
        ))}
      </ul>
      {total > badRows.length && (
        <p className="border-t border-border px-3 py-1.5 text-row text-fg-muted">
          The first {formatCount(LISTED_BAD_ROWS)} of {formatCount(total)} are listed. Download the rows to see more.
        </p>
      )}
    </section>
  )
}
