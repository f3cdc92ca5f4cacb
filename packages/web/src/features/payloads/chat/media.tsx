import { FileDown, FileText, ImageDown } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { decodeDataUrl, saveFile } from '#lib/browser.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { toast } from '#ui/toast.tsx'
import { readAttachment } from '../attachments.ts'
import type { Media } from './conversation.ts'
import { isInlineMedia, parseHost, safeUrl } from './safe-url.ts'

/** An image, audio, video or file of a message. Remote media are loaded only after a click on a button that names the host. */
export function RemoteMedia({ media }: { media: Media }) {
  const [isRequested, setRequested] = useState(false)
  const { type, url, mime, label } = media
  const name = label || type
  if (url === undefined) return <Chip>{`${name} (stored by the provider)`}</Chip>
  if (isInlineMedia(url)) return <Shown type={type} url={url} name={name} />
  if (/^data:application\/pdf[;,]/i.test(url)) return <PdfFrame url={url} name={label || 'document.pdf'} />
  if (url.startsWith('data:')) {
    return (
      <SaveDataUrl url={url} name={label || `attachment.${mime?.split('/')[1] ?? 'bin'}`}>
        {name}
        {mime && <span className="text-fg-muted">{mime}</span>}
      </SaveDataUrl>
    )
  }
  if (media.isStored && type !== 'file') return <Shown type={type} url={url} name={name} />
  if (safeUrl(url) === '') return <Chip>{`${name}: ${url.slice(0, 200)}`}</Chip>
  if (isRequested && type !== 'file') return <Shown type={type} url={url} name={name} />
  if (type === 'file') {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        {name} at {parseHost(url)}
      </a>
    )
  }
  return (
    <Button onClick={() => setRequested(true)} title={url} className="self-start">
      <ImageDown size={14} aria-hidden />
      Load {type} from {parseHost(url)}
    </Button>
  )
}

function Shown({ type, url, name }: { type: Media['type']; url: string; name: string }) {
  // biome-ignore lint/a11y/useMediaCaption: traced media come without captions
  if (type === 'audio') return <audio controls src={url} aria-label={name} className="max-w-full" />
  if (type === 'video') {
    // biome-ignore lint/a11y/useMediaCaption: traced media come without captions
    return <video controls src={url} aria-label={name} className="max-h-96 max-w-full self-start rounded-control" />
  }
  return (
    <img
      src={url}
      alt={name}
      referrerPolicy="no-referrer"
      className="max-h-96 max-w-full self-start rounded-control border border-border object-contain"
    />
  )
}

function Chip({ children }: { children: string }) {
  return (
    <span className="inline-block max-w-full truncate rounded-control bg-sunken px-1.5 py-0.5 text-row text-fg-muted">
      {children}
    </span>
  )
}

interface PdfFrameProps {
  /** A `data:` URL or the signed URL of an attachment on this server. */
  url: string
  name: string
}

/** A PDF. On request it is shown by the viewer of the browser, isolated from the page. */
export function PdfFrame({ url, name }: PdfFrameProps) {
  const [frame, setFrame] = useState<string>()
  useEffect(() => () => void (frame && URL.revokeObjectURL(frame)), [frame])
  async function show() {
    try {
      const bytes = url.startsWith('data:') ? decodeDataUrl(url) : await readAttachment(url)
      // The type makes the browser open its PDF viewer, whatever the bytes are. They are never rendered as a page.
      setFrame(URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' })))
    } catch (cause) {
      toast.failure('Could not load the document', cause)
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => (frame ? setFrame(undefined) : void show())} aria-expanded={frame !== undefined}>
          <FileText size={14} aria-hidden />
          {frame ? 'Hide' : 'Show'} {name}
        </Button>
        {url.startsWith('data:') ? (
          <SaveDataUrl url={url} name={name}>
            Save
          </SaveDataUrl>
        ) : (
          <a href={url} download={name} rel="noopener noreferrer nofollow" className={buttonLook('quiet')}>
            <FileDown size={14} aria-hidden />
            Save
          </a>
        )}
      </div>
      {frame && (
        <iframe src={frame} title={name} className="h-[60vh] w-full rounded-control border border-border bg-surface" />
      )}
    </div>
  )
}

/** Saves the content of a `data:` URL. A button, because a link could be opened and show traced content as a page. */
function SaveDataUrl({ url, name, children }: { url: string; name: string; children: ReactNode }) {
  function save() {
    try {
      saveFile(name, 'application/octet-stream', [decodeDataUrl(url)])
    } catch (cause) {
      toast.failure('Could not read the file', cause)
    }
  }
  return (
    <Button onClick={save} className="self-start">
      <FileDown size={14} aria-hidden />
      {children}
    </Button>
  )
}
