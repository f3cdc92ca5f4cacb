import * as newest from 'langsmith'
import * as newestEvaluation from 'langsmith/evaluation'
import * as newestTraceable from 'langsmith/traceable'
import * as previous from 'langsmith-previous'
import * as previousEvaluation from 'langsmith-previous/evaluation'
import * as previousTraceable from 'langsmith-previous/traceable'
import { isFull } from '../../support/scale.ts'

/** What suites use of the published package, as its newest version types it. */
export interface PublicLibrary {
  version: string
  Client: typeof newest.Client
  RunTree: typeof newest.RunTree
  evaluation: typeof newestEvaluation
  traceable: typeof newestTraceable.traceable
  getCurrentRunTree: typeof newestTraceable.getCurrentRunTree
}

const newestLibrary = { version: '0.12', ...newest, ...newestTraceable, evaluation: newestEvaluation }
const previousLibrary = {
  version: '0.10',
  ...asNewest({ ...previous, ...previousTraceable, evaluation: previousEvaluation }),
}

/** The newest published version; the full tests run the version before it too. */
export const PUBLIC_LIBRARIES: readonly PublicLibrary[] = isFull ? [newestLibrary, previousLibrary] : [newestLibrary]

/** Programs of users do not change with the version, so those of the suites are compiled against one. */
function asNewest(library: object): Omit<PublicLibrary, 'version'> {
  return library as Omit<PublicLibrary, 'version'>
}
