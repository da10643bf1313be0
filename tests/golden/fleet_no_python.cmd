STEPSCOPE_PYTHON=/nowhere/python3 stepscope fleet summary tables
