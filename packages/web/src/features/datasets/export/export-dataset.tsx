import type { Dataset } from '@touchstone/sdk'
import { Download } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'

const ExportDialog = lazyExtra(() => import('./export-dialog.tsx').then((module) => module.ExportDialog))

export interface ExportDatasetProps {
  dataset: Dataset
  /** The version and split that the page shows; the dialog starts with them. */
  asOf?: string | undefined
  split?: string | undefined
}

/** The button that exports a dataset to a file. */
export function ExportDataset(props: ExportDatasetProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Download size={14} aria-hidden />
        <span className="max-sm:sr-only">Export</span>
      </Button>
      <Suspense>{isOpen && <ExportDialog {...props} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
