import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import type { Dataset } from '@touchstone/sdk'
import { useEffect, useRef, useState } from 'react'
import { pluralize } from '#lib/format.ts'
import { useStore } from '#lib/store.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog, Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/states.tsx'
import { readKnownKeys, readRefusedExamples, removeImported, uploadExamples } from '../file-queries.ts'
import { refreshVersions } from '../versions/queries.ts'
import { CheckStep } from './check-step.tsx'
import { FileStep } from './file-step.tsx'
import { describeLoss, describeMapping, ImportController, type ImportState } from './import-controller.ts'
import { openImport } from './import-host.ts'
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
  const loss = describeLoss(state)
  const [isAsking, setAsking] = useState(false)
  const isLeaving = useRef(false)
  // Closing the dialog asks itself; the browser's Back button, links and reloads ask here.
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => !isLeaving.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => isBusy || loss !== undefined,
    disabled: !isBusy && loss === undefined,
    withResolver: true,
  })
  function close() {
    if (isBusy) return
    if (loss === undefined) leave()
    else setAsking(true)
  }
  function leave() {
    // The page may open the new dataset now.
    isLeaving.current = true
    if (state.sent > 0 || state.sending === 'undone') void refreshVersions(queryClient)
    onClose()
  }
  return (
    <>
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
      {isAsking && loss !== undefined && (
        <ConfirmDialog
          title="Close the import?"
          action="Close import"
          onConfirm={leave}
          onCancel={() => setAsking(false)}
        >
          {loss}
        </ConfirmDialog>
      )}
      {blocker.status === 'blocked' && (
        <ConfirmDialog title="Leave the import?" action="Leave" onConfirm={blocker.proceed} onCancel={blocker.reset}>
          {isBusy
            ? 'The import is running. It stops here; what is stored so far stays, and can no longer be undone.'
            : loss}
        </ConfirmDialog>
      )}
    </>
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
          {report === undefined ? 'Import' : `Import ${pluralize(good, 'example')}`}
        </Button>
      </>
    )
  }
  return <Button onClick={onClose}>Cancel</Button>
}
