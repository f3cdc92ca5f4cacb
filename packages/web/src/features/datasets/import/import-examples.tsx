import type { Dataset } from '@touchstone/sdk'
import { Upload } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'

const ImportWizard = lazyExtra(() => import('./import-wizard.tsx').then((module) => module.ImportWizard))

/** The button that imports a file into a dataset. A file can also be dropped anywhere on the page. */
export function ImportExamples({ dataset }: { dataset: Dataset }) {
  const mayWrite = useMay('member')
  const [opened, setOpened] = useState<{ file: File | undefined }>()
  const isDragging = useFileDrop(mayWrite && opened === undefined, (file) => setOpened({ file }))
  return (
    <>
      <Button
        onClick={() => setOpened({ file: undefined })}
        disabled={!mayWrite}
        title={mayWrite ? undefined : READ_ONLY}
      >
        <Upload size={14} aria-hidden />
        <span className="max-sm:sr-only">Import</span>
      </Button>
      {isDragging && (
        <div className="pointer-events-none fixed inset-2 z-40 flex items-center justify-center rounded-dialog border-2 border-dashed border-accent bg-selected/80 text-heading">
          Drop the file to import it into {dataset.name}
        </div>
      )}
      <Suspense>
        {opened && <ImportWizard dataset={dataset} file={opened.file} onClose={() => setOpened(undefined)} />}
      </Suspense>
    </>
  )
}

/** Calls back with a file that is dropped on the page. @returns whether one is being dragged over it */
function useFileDrop(isEnabled: boolean, onFile: (file: File) => void): boolean {
  const [isDragging, setDragging] = useState(false)
  useEffect(() => {
    if (!isEnabled) return
    const isFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    function over(event: DragEvent) {
      if (!isFile(event)) return
      event.preventDefault()
      setDragging(true)
    }
    function leave(event: DragEvent) {
      if (event.relatedTarget === null) setDragging(false)
    }
    function drop(event: DragEvent) {
      setDragging(false)
      const file = event.dataTransfer?.files[0]
      if (file === undefined) return
      event.preventDefault()
      onFile(file)
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [isEnabled, onFile])
  return isDragging
}
