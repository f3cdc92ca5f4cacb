import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { cx } from '#lib/browser.ts'
import { formatBytes, formatScore, pluralize } from '#lib/format.ts'
import { CopyButton } from '#ui/copy-button.tsx'
import type { FoundDocument } from './read-documents.ts'

const CLAMP = 600

/** Documents of a retriever run in their ranking order. */
export function DocumentsView({
  query,
  documents,
}: {
  query: string | undefined
  documents: readonly FoundDocument[]
}) {
  return (
    <div className="flex flex-col gap-2">
      {query !== undefined && (
        <p className="text-form">
          <span className="text-fg-muted">Query: </span>
          <span className="whitespace-pre-wrap break-words">{query}</span>
        </p>
      )}
      <h3 className="text-row text-fg-muted">{pluralize(documents.length, 'document')}</h3>
      <ol className="flex flex-col gap-2">
        {documents.map((document, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a document is its rank
          <Card key={index} rank={index + 1} document={document} />
        ))}
      </ol>
    </div>
  )
}

function Card({ rank, document: { text, score, source, metadata } }: { rank: number; document: FoundDocument }) {
  const [isWhole, setWhole] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const shown = isWhole ? text : text.slice(0, CLAMP)
  const facts = Object.entries(metadata)
  return (
    <li className="rounded-card border border-border bg-surface [contain-intrinsic-size:auto_80px] [content-visibility:auto]">
      <header className="flex min-h-8 min-w-0 items-center gap-2 px-3 text-row">
        <span className="w-5 shrink-0 tabular-nums text-fg-subtle">{rank}</span>
        <span className="min-w-0 flex-1 truncate font-medium" title={source}>
          {source ?? 'Document'}
        </span>
        {score !== undefined && (
          <span className="shrink-0 tabular-nums text-fg-muted" title={String(score)}>
            score {formatScore(score, 3)}
          </span>
        )}
        <CopyButton iconOnly text={text} label="Copy document" />
      </header>
      <p dir="auto" className="whitespace-pre-wrap break-words px-3 pb-2 text-form">
        {shown}
      </p>
      {shown.length < text.length && (
        <button type="button" onClick={() => setWhole(true)} className="px-3 pb-2 text-row text-accent hover:underline">
          Show {formatBytes(text.length - shown.length)} more
        </button>
      )}
      {facts.length > 0 && (
        <div className="border-t border-border">
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="flex h-7 w-full min-w-0 items-center gap-1.5 px-2 text-row text-fg-muted hover:bg-hover coarse:h-10"
          >
            <ChevronRight size={13} aria-hidden className={cx('shrink-0', isOpen && 'rotate-90')} />
            <span className="shrink-0">Metadata</span>
            <span className="min-w-0 truncate text-fg-subtle">{facts.map(([key]) => key).join(', ')}</span>
          </button>
          {isOpen && (
            <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 px-3 pb-2 text-row">
              {facts.map(([key, value]) => (
                <div key={key} className="contents">
                  <dt className="max-w-40 truncate text-fg-muted">{key}</dt>
                  <dd className="break-words font-mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      )}
    </li>
  )
}
