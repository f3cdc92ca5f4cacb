import { useQuery } from '@tanstack/react-query'
import { formatBytes } from '#lib/format.ts'
import { CodeText } from '#ui/code-text.tsx'
import { readBeginning } from '../attachments.ts'
import { decodeBeginning, findFileLanguage } from './files.ts'

const MAX_BYTES = 64_000

/** The beginning of a text attachment. It is shown as characters, never as a page. */
export function TextPreview({ url, name, mime }: { url: string; name: string; mime: string }) {
  const read = useQuery({
    queryKey: ['attachment-text', url],
    queryFn: ({ signal }) => readBeginning(url, MAX_BYTES, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    meta: { quiet: true },
  })
  if (read.isPending) {
    return <div role="status" aria-label={`Loading ${name}`} className="h-24 rounded-control bg-sunken" />
  }
  const text = read.data && decodeBeginning(read.data.bytes)
  if (read.isError || text === undefined) {
    return (
      <p className="text-row text-fg-muted">
        {read.isError ? 'The preview could not be loaded.' : 'This file is not UTF-8 text. Download it to open it.'}
      </p>
    )
  }
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label={`Preview of ${name}`}
        className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-control bg-sunken p-2 font-mono text-row"
      >
        <CodeText text={text} language={findFileLanguage(mime, name)} />
      </pre>
      {read.data.isCut && (
        <p className="text-meta text-fg-muted">
          The first {formatBytes(MAX_BYTES)} are shown. Download the file for the rest.
        </p>
      )}
    </div>
  )
}
