import { FileDown, FileText } from 'lucide-react'
import { useEffect, useState } from 'react'
import { decodeDataUrl } from '#lib/browser/data-url.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { toast } from '#ui/toast.tsx'
import { SaveDataUrl } from './save-data-url.tsx'

export interface PdfFrameProps {
  /** A `data:` URL, or an address of this server. */
  url: string
  name: string
}

/** A PDF, shown on request by the browser's own viewer, which keeps it apart from the page. */
export function PdfFrame({ url, name }: PdfFrameProps) {
  const [frame, setFrame] = useState<string>()
  useEffect(() => () => void (frame && URL.revokeObjectURL(frame)), [frame])
  async function show() {
    try {
      const bytes = url.startsWith('data:') ? decodeDataUrl(url) : await (await fetch(url)).arrayBuffer()
      // Whatever it holds, it is handed to the viewer of PDFs and never read as a page.
      setFrame(URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' })))
    } catch (cause) {
      toast.failure('The document could not be read.', cause)
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
