import type { Run } from '@touchstone/contract'
import { MessageSquarePlus, Share2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '#ui/icon-button.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'

const ShareDialog = lazy(() => import('./share-dialog.tsx').then((module) => ({ default: module.ShareDialog })))

export interface RunActionsProps {
  run: Run
  onAnnotate: () => void
}

/** What one does with a run: judge it, share it. */
export function RunActions({ run, onAnnotate }: RunActionsProps) {
  const [layer, setLayer] = useState<'share'>()
  const close = () => setLayer(undefined)
  useShortcuts('Run / trace', [{ keys: 'a', label: 'Annotate', run: onAnnotate }])
  return (
    <>
      <IconButton icon={MessageSquarePlus} label="Annotate" keys="a" onClick={onAnnotate} />
      <IconButton icon={Share2} label="Share" onClick={() => setLayer('share')} />
      <Suspense>{layer === 'share' && <ShareDialog run={run} onClose={close} />}</Suspense>
    </>
  )
}
