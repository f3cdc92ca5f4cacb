import type { BulkJob } from '@touchstone/sdk'

const ACTION_NAMES: Record<BulkJob['action'], string> = {
  add_to_dataset: 'Add to dataset',
  add_to_queue: 'Add to queue',
  delete: 'Delete traces',
  export: 'Export',
  undo: 'Undo added examples',
}

/** Name of a job in two or three words. */
export function describeJob({ action, format }: BulkJob): string {
  return action === 'export' && format !== null ? `Export ${format.toUpperCase()}` : ACTION_NAMES[action]
}
