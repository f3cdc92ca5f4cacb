import { FileDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { decodeDataUrl } from '#lib/browser/data-url.ts'
import { saveFile } from '#lib/browser/save-file.ts'
import { Button } from '#ui/button.tsx'
import { toast } from '#ui/toast.tsx'

/** Saves what a `data:` URL holds. No link: a link can be opened, and then what was traced would be a page. */
export function SaveDataUrl({ url, name, children }: { url: string; name: string; children: ReactNode }) {
  function save() {
    try {
      saveFile(name, 'application/octet-stream', [decodeDataUrl(url)])
    } catch (cause) {
      toast.failure('The file could not be read.', cause)
    }
  }
  return (
    <Button onClick={save} className="self-start">
      <FileDown size={14} aria-hidden />
      {children}
    </Button>
  )
}
