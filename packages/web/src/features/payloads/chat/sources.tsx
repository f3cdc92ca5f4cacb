import type { Citation } from '@touchstone/formats/messages'
import { parseHost, safeUrl } from './safe-url.ts'

/** The sources of an answer: titles with their addresses, and the cited words. Links open in a new tab. */
export function Sources({ sources }: { sources: readonly Citation[] }) {
  return (
    <section aria-label="Sources" className="flex flex-col gap-0.5 border-l-2 border-border pl-2 text-row">
      <h4 className="text-meta text-fg-muted">{sources.length === 1 ? 'Source' : `${sources.length} sources`}</h4>
      <ol className="flex flex-col gap-0.5">
        {sources.map((source, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a source may occur twice, and the order stays
          <li key={index} className="min-w-0 break-words">
            <span className="mr-1.5 tabular-nums text-fg-subtle">{index + 1}</span>
            <Source source={source} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Source({ source: { title, url, quote, raw } }: { source: Citation }) {
  const name = title ?? url
  const isLink = url !== undefined && safeUrl(url) !== ''
  return (
    <>
      {isLink ? (
        <a href={url} title={url} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
          {name}
        </a>
      ) : (
        <span>{name ?? (quote === undefined ? JSON.stringify(raw) : '')}</span>
      )}
      {isLink && title !== undefined && <span className="ml-1.5 text-fg-muted">{parseHost(url)}</span>}
      {quote !== undefined && (
        <q dir="auto" className="ml-1.5 whitespace-pre-wrap text-fg-muted">
          {quote}
        </q>
      )}
    </>
  )
}
