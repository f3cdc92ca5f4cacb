import { useQueryClient } from '@tanstack/react-query'
import type { Dataset } from '@touchstone/sdk'
import { useEffect, useState } from 'react'
import { readKnownKeys, readRefusedExamples, removeImported, uploadExamples } from '#data/dataset-files.ts'
import { refreshVersions } from '#data/dataset-versions.ts'
import { openImport } from '#lib/datasets/import/import-host.ts'
import { formatCount } from '#lib/format.ts'
import { useStore } from '#lib/store.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/states.tsx'
import { CheckStep } from './check-step.tsx'
import { FileStep } from './file-step.tsx'
import { describeMapping, ImportController, type ImportState } from './import-controller.ts'
import { MapStep } from './map-step.tsx'
import { SendStep } from './send-step.tsx'

export interface ImportWizardProps {
  dataset: Dataset
  /** A file that was already chosen. */
  file?: File | undefined
  onClose: () => void
}

/** Imports a CSV, JSONL or JSON file into a dataset: choose, map, check, import. */
export function ImportWizard({ dataset, file, onClose }: ImportWizardProps) {
  const queryClient = useQueryClient()
  const [controller] = useState(() => createController(dataset))
  const state = useStore(controller.state)
  useEffect(() => {
    if (file) void controller.openFile(file)
    return () => controller.close()
  }, [controller, file])
  const isBusy = isSending(state)
  useEffect(() => {
    if (!isBusy) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isBusy])
  function close() {
    if (isBusy) return
    if (state.sent > 0 || state.sending === 'undone') void refreshVersions(queryClient)
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={close}
      width="max-w-4xl"
      title="Import examples"
      description={
        state.file === undefined ? `Into the dataset ${dataset.name}` : `${state.file.name} into ${dataset.name}`
      }
      footer={<Footer state={state} controller={controller} onClose={close} />}
    >
      <Steps state={state} />
      {state.error != null && <ErrorState compact title={ERRORS[state.step]} error={state.error} />}
      {state.step === 'file' && <FileStep state={state} onFile={(chosen) => void controller.openFile(chosen)} />}
      {state.step === 'map' && <MapStep state={state} controller={controller} dataset={dataset} />}
      {state.step === 'check' && <CheckStep state={state} controller={controller} />}
      {state.step === 'send' && <SendStep state={state} controller={controller} />}
    </Dialog>
  )
}

function createController({ id, ...dataset }: Dataset): ImportController {
  return new ImportController({
    datasetId: id,
    schemas: {
      inputs: dataset.inputs_schema_definition ?? null,
      outputs: dataset.outputs_schema_definition ?? null,
      isTransformed: (dataset.transformations ?? []).length > 0,
    },
    open: openImport,
    readKnownKeys: () => readKnownKeys(id),
    upload: uploadExamples,
    readRefused: readRefusedExamples,
    remove: (ids) => removeImported(id, ids),
  })
}

const ERRORS = {
  file: 'The file could not be read',
  map: 'The file could not be read',
  check: 'The rows could not be checked',
  send: 'The import stopped',
}

const STEPS = [
  { id: 'file', label: 'File' },
  { id: 'map', label: 'Columns' },
  { id: 'check', label: 'Check' },
  { id: 'send', label: 'Import' },
] as const

function Steps({ state }: { state: ImportState }) {
  return (
    <ol aria-label="Steps" className="mb-3 flex gap-4 border-b border-border text-row text-fg-muted">
      {STEPS.map(({ id, label }, index) => (
        <li
          key={id}
          aria-current={id === state.step ? 'step' : undefined}
          className="-mb-px border-b-2 border-transparent pb-1.5 aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-fg"
        >
          {index + 1}. {label}
        </li>
      ))}
    </ol>
  )
}

const isSending = ({ sending }: ImportState) =>
  sending === 'running' || sending === 'canceling' || sending === 'undoing'

interface FooterProps {
  state: ImportState
  controller: ImportController
  onClose: () => void
}

function Footer({ state, controller, onClose }: FooterProps) {
  const { step, report, sending, sent } = state
  if (step === 'send') {
    if (sending === 'running') return <Button onClick={() => controller.cancel()}>Cancel</Button>
    return (
      <Button look="primary" disabled={isSending(state)} onClick={onClose}>
        Close
      </Button>
    )
  }
  if (step === 'map') {
    return (
      <>
        <Button onClick={() => controller.goTo('file')}>Back</Button>
        <Button
          look="primary"
          disabled={describeMapping(state) !== undefined || state.isReading}
          onClick={() => void controller.check()}
        >
          Check rows
        </Button>
      </>
    )
  }
  if (step === 'check') {
    const good = report?.good ?? 0
    return (
      <>
        <Button onClick={() => (sent > 0 ? controller.goTo('send') : controller.goTo('map'))}>Back</Button>
        <Button look="primary" disabled={good === 0} onClick={() => void controller.send()}>
          {report === undefined ? 'Import' : `Import ${formatCount(good)} ${good === 1 ? 'example' : 'examples'}`}
        </Button>
      </>
    )
  }
  return <Button onClick={onClose}>Cancel</Button>
}
