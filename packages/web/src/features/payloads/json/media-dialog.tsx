import { useQuery } from '@tanstack/react-query'
import { FileDown } from 'lucide-react'
import { buttonLook } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { SkeletonRows } from '#ui/states.tsx'
import { RemoteMedia } from '../chat/media.tsx'
import type { PickedValue } from './value-actions.ts'

export interface MediaDialogProps {
  mime: string
  picked: PickedValue
  onClose: () => void
}

/** The file that a string holds, shown where that is harmless and offered to save otherwise. */
export function MediaDialog({ mime, picked, onClose }: MediaDialogProps) {
  const text = useQuery({ queryKey: ['media', picked], queryFn: picked.text, structuralSharing: false, gcTime: 0 })
  const name = String(picked.path.at(-1) ?? 'file')
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={mime}
      width="max-w-3xl"
      footer={
        text.data !== undefined && (
          <a href={asUrl(mime, text.data)} download={name} className={buttonLook()}>
            <FileDown size={14} aria-hidden />
            Save
          </a>
        )
      }
    >
      {text.data === undefined ? (
        <SkeletonRows rows={4} label="Reading the file" />
      ) : (
        <RemoteMedia media={{ type: kindOf(mime), url: asUrl(mime, text.data), mime, label: name }} />
      )}
    </Dialog>
  )
}

function kindOf(mime: string): 'image' | 'audio' | 'video' | 'file' {
  const [kind] = mime.split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file'
}

function asUrl(mime: string, text: string): string {
  return text.startsWith('data:') ? text : `data:${mime};base64,${text}`
}
