import { isBoolean, preference } from './preference.ts'

/** Whether the first steps are shown on the home page; ends for good once all are done, or by choice. */
export const getStartedPreference = preference('get-started', true, isBoolean)
