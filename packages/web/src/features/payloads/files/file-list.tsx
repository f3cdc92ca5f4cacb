import { FileDown, X } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { buttonLook, IconButton } from '#ui/button.tsx'
import { PdfFrame } from '../chat/media.tsx'
import { isTextType } from './files.ts'
import { TextPreview } from './text-preview.tsx'

const INLINE = /^image\/(png|jpe?g|gif|webp|avif)$/

/** An attachment of a run or an example. */
export interface FileItem {
  name: string
  url: string
  mime: string | undefined
  /** Whether it is on this server. Only such files are previewed. */
  isOurs: boolean
}

interface FileListProps {
  files: readonly FileItem[]
  onRemove?: ((name: string) => void) | undefined
  className?: string
}

/** Attachments with a preview and a download link. */
export function FileList({ files, onRemove, className }: FileListProps) {
  return (
    <ul className={cx('grid items-start gap-3 sm:grid-cols-2', className)}>
      {files.map((file) => (
        <li key={file.name} className="flex min-w-0 flex-col gap-2 rounded-card border border-border bg-surface p-3">
          <div className="flex items-center gap-2 text-row">
            <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
              {file.name}
            </span>
            <span className="max-w-32 shrink-0 truncate text-fg-muted">{file.mime}</span>
            <a href={file.url} download={file.name} rel="noopener noreferrer nofollow" className={buttonLook('quiet')}>
              <FileDown size={14} aria-hidden />
              Download
            </a>
            {onRemove && <IconButton icon={X} label={`Remove ${file.name}`} onClick={() => onRemove(file.name)} />}
          </div>
          {file.isOurs && <Preview file={file} />}
        </li>
      ))}
    </ul>
  )
}

/** Images, audio, video and the beginning of texts are shown at once, a PDF on request. Other types are only downloaded. */
function Preview({ file: { name, url, mime = '' } }: { file: FileItem }) {
  if (INLINE.test(mime)) return <img src={url} alt={name} className="max-h-96 rounded-control object-contain" />
  // biome-ignore lint/a11y/useMediaCaption: traced media come without captions
  if (/^audio\/[\w.+-]+$/.test(mime)) return <audio controls src={url} aria-label={name} className="max-w-full" />
  if (/^video\/[\w.+-]+$/.test(mime)) {
    // biome-ignore lint/a11y/useMediaCaption: traced media come without captions
    return <video controls src={url} aria-label={name} className="max-h-96 max-w-full rounded-control" />
  }
  if (mime === 'application/pdf') return <PdfFrame url={url} name={name} />
  return isTextType(mime, name) ? <TextPreview url={url} name={name} mime={mime} /> : null
}

/**
 * @param url  signed URLs can be paths of the API
 * @returns undefined for protocols other than http(s)
 */
export function toFileItem(name: string, url: string, mime: string | undefined): FileItem | undefined {
  try {
    const target = new URL(url, `${location.origin}/api/v1/`)
    if (!/^https?:$/.test(target.protocol)) return undefined
    return { name, url: target.href, mime, isOurs: target.origin === location.origin }
  } catch {
    return undefined
  }
}
