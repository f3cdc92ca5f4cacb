import { ImageDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import type { Media } from './conversation.ts'
import { PdfFrame } from './pdf-frame.tsx'
import { hostOf, isInlineMedia, safeUrl } from './safe-url.ts'
import { SaveDataUrl } from './save-data-url.tsx'

/** An image, sound or file of a message. What is remote is fetched only after a click, and says from where. */
export function RemoteMedia({ media }: { media: Media }) {
  const [asked, setAsked] = useState(false)
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
  if (safeUrl(url) === '') return <Chip>{`${name}: ${url.slice(0, 200)}`}</Chip>
  if (asked && type !== 'file') return <Shown type={type} url={url} name={name} />
  if (type === 'file') {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        {name} at {hostOf(url)}
      </a>
    )
  }
  return (
    <Button onClick={() => setAsked(true)} title={url} className="self-start">
      <ImageDown size={14} aria-hidden />
      Load {type} from {hostOf(url)}
    </Button>
  )
}

function Shown({ type, url, name }: { type: Media['type']; url: string; name: string }) {
  // biome-ignore lint/a11y/useMediaCaption: traced media come without captions
  if (type === 'audio') return <audio controls src={url} aria-label={name} className="max-w-full" />
  if (type === 'video') {
    // biome-ignore lint/a11y/useMediaCaption: traced media come without captions
    return <video controls src={url} aria-label={name} className="max-h-96 max-w-full rounded-control" />
  }
  return (
    <img
      src={url}
      alt={name}
      referrerPolicy="no-referrer"
      className="max-h-96 max-w-full rounded-control border border-border object-contain"
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
