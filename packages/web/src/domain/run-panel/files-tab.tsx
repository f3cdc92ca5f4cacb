import type { Run } from '@touchstone/contract'
import { FileDown } from 'lucide-react'
import { PdfFrame } from '#domain/chat-view/media.tsx'
import { buttonLook } from '#ui/button.tsx'
import { EmptyState } from '#ui/states.tsx'

const INLINE = /^image\/(png|jpe?g|gif|webp|avif)$/

interface Attachment {
  name: string
  url: string
  mime: string | undefined
  isOurs: boolean
}

/** Attachments of a run. Only files on this server are previewed. */
export function FilesTab({ run }: { run: Run }) {
  const files = getAttachments(run)
  if (files.length === 0) return <EmptyState title="No files">This run has no attachments.</EmptyState>
  return (
    <ul className="grid items-start gap-3 p-3 sm:grid-cols-2">
      {files.map((file) => (
        <li key={file.name} className="flex flex-col gap-2 rounded-card border border-border bg-surface p-3">
          <div className="flex items-center gap-2 text-row">
            <span className="min-w-0 flex-1 truncate font-medium">{file.name}</span>
            <span className="shrink-0 text-fg-muted">{file.mime}</span>
            <a href={file.url} download={file.name} rel="noopener noreferrer nofollow" className={buttonLook('quiet')}>
              <FileDown size={14} aria-hidden />
              Download
            </a>
          </div>
          {file.isOurs && <Preview file={file} />}
        </li>
      ))}
    </ul>
  )
}

/** Images, audio and video are shown at once, a PDF on request. Other types can only be downloaded. */
function Preview({ file: { name, url, mime = '' } }: { file: Attachment }) {
  if (INLINE.test(mime)) return <img src={url} alt={name} className="max-h-96 rounded-control object-contain" />
  // biome-ignore lint/a11y/useMediaCaption: traced media come without captions
  if (/^audio\/[\w.+-]+$/.test(mime)) return <audio controls src={url} aria-label={name} className="max-w-full" />
  if (/^video\/[\w.+-]+$/.test(mime)) {
    // biome-ignore lint/a11y/useMediaCaption: traced media come without captions
    return <video controls src={url} aria-label={name} className="max-h-96 max-w-full rounded-control" />
  }
  return mime === 'application/pdf' ? <PdfFrame url={url} name={name} /> : null
}

export function getAttachments(run: Run): Attachment[] {
  return Object.entries(run.s3_urls ?? {})
    .filter(([name]) => name.startsWith('attachment.'))
    .flatMap(([name, { presigned_url, mime_type }]) => {
      const url = parseUrl(presigned_url)
      if (!url) return []
      return [
        {
          name: name.slice('attachment.'.length),
          url: url.href,
          mime: mime_type ?? undefined,
          isOurs: url.origin === location.origin,
        },
      ]
    })
}

/** Signed URLs can be paths of the API. Other protocols than http(s) are ignored. */
function parseUrl(text: string): URL | undefined {
  try {
    const url = new URL(text, `${location.origin}/api/v1/`)
    return /^https?:$/.test(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}
