import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { formatBytes } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import type { ImportState } from './import-controller.ts'

/** Choose a file, or drop one. */
export function FileStep({ state, onFile }: { state: ImportState; onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  return (
    <div
      role="group"
      aria-label="File"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const file = event.dataTransfer.files[0]
        if (file) onFile(file)
      }}
      className={cx(
        'flex flex-col items-center gap-2 rounded-card border border-dashed px-6 py-12 text-center',
        isOver ? 'border-accent bg-selected' : 'border-border-strong',
      )}
    >
      <FileUp size={24} strokeWidth={1.5} className="text-fg-subtle" aria-hidden />
      {state.isReading ? (
        <p role="status" className="text-base">
          Reading {state.file?.name} ({formatBytes(state.file?.size)})…
        </p>
      ) : (
        <>
          <p className="text-base">Drop a CSV, JSONL or JSON file here</p>
          <Button look="primary" onClick={() => input.current?.click()}>
            Choose file
          </Button>
          <p className="max-w-md text-row text-fg-muted">
            CSV needs a first row with titles. JSONL has an object per line, JSON a list of objects. Files that were
            exported here map themselves.
          </p>
        </>
      )}
      <input
        ref={input}
        type="file"
        aria-label="File to import"
        accept=".csv,.tsv,.txt,.jsonl,.ndjson,.json,text/csv,application/json"
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) onFile(file)
        }}
      />
    </div>
  )
}
