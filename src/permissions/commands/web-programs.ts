import { hasOnlyListed, type ListedOptions, splitOptions } from './listed-options.ts';

const curl: ListedOptions = {
  long:
    'silent show-error fail fail-with-body fail-early location head include verbose compressed globoff get ipv4 ipv6 http1.0 ' +
    'http1.1 http2 no-progress-meter progress-bar no-buffer max-time connect-timeout retry retry-delay retry-max-time ' +
    'retry-connrefused max-filesize max-redirs user-agent referer range header tlsv1.2 tlsv1.3 proto url',
  flags: 'sSfLIivgGN46#',
  valued: 'mAerH',
};
const wget: ListedOptions = {
  long: 'quiet no-verbose spider server-response timeout tries max-redirect user-agent header output-document',
  flags: 'qS',
  valued: 'OTtU',
};

const isWeb = (word: string) => !/^[a-z][a-z0-9+.-]*:(?=\/)|^file:/i.test(word) || /^https?:\/\//i.test(word);

/** Whether curl gets a page and prints it. `-H @file` and the like read any file. */
export function isPlainCurl(args: readonly string[]): boolean {
  const { options, others } = splitOptions(args);
  const values = [
    ...others,
    ...options.flatMap((option) => [option.replace(/^--[^=]*=?/, ''), option.replace(/^-\w+?(?=@)/, '')]),
  ];
  return hasOnlyListed(args, curl) && values.every((value) => !value.startsWith('@') && isWeb(value));
}

/** Whether wget prints a page or only asks for it. What it stores has a name that the server chooses. */
export function isPlainWget(args: readonly string[]): boolean {
  const output = args.findIndex((arg) => /^(-[qS]*O|--output-document)$/.test(arg));
  const outputs = args.filter((arg) => /^(-[qS]*O|--output-document)/.test(arg)).length;
  const isPrinted =
    args.some((arg) => /^(-[qS]*O-|--output-document=-)$/.test(arg)) ||
    (output !== -1 && args[output + 1] === '-');
  // The file of `-O` is emptied all the same.
  const isAsked = outputs === 0 && args.includes('--spider');
  return (
    (isPrinted || isAsked) &&
    outputs < 2 &&
    hasOnlyListed(args, wget) &&
    splitOptions(args).others.every(isWeb)
  );
}
