import { render } from 'preact';
import { App } from './app';
import { embeddedSource } from './embedded_source';
import { HttpSource } from './http_source';
import { follow } from './state';
import './style.css';

const token = new URLSearchParams(location.search).get('token') ?? '';
void follow(embeddedSource(document) ?? new HttpSource(token));
const app = document.getElementById('app')!;
app.replaceChildren(); // what was painted while the script was on its way
render(<App />, app);
